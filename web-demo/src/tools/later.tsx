// Views that load when they are shown for the first time.
import type { ComponentType } from 'preact';
import { reasonOf } from '../format';
import { page } from '../words';
import { useAnswer } from './answer';

/** Returns a component that loads another one. Until then, it shows nothing. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return (props: P) => {
    const { value = loaded, error, again } = useAnswer(async () => (loaded ??= await load()), []);
    if (error !== '') return <p class="refused" role="alert">{page.viewFailed}: {reasonOf(new Error(error))}. <button type="button" onClick={again}>{page.retry}</button></p>;
    const View = value;
    return View === undefined ? null : <View {...props} />;
  };
}
