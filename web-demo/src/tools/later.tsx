// Modules and views that load when they are first needed.
import type { ComponentChildren, ComponentType } from 'preact';
import { page } from '../words';
import { useAnswer } from './answer';

/** A module that loads once. After a failure, the next call tries again. */
export interface Lazy<M> {
  /** The module, once it is loaded. */
  readonly now: M | undefined;
  readonly load: () => Promise<void>;
}

export function lazy<M>(load: () => Promise<M>): Lazy<M> {
  const module = {
    now: undefined as M | undefined,
    load: async () => {
      module.now ??= await load();
    },
  };
  return module;
}

/** Loads a module once it is wanted. Returns it, and what to show if it cannot be loaded. */
export function useLazy<M>(module: Lazy<M>, wanted = true): { readonly now: M | undefined; readonly refusal: ComponentChildren } {
  const { error, again } = useAnswer(async () => (wanted ? module.load() : undefined), [module, wanted]);
  const refusal = error !== '' && <p class="refused" role="alert">{page.viewFailed}: {error}. <button type="button" onClick={again}>{page.retry}</button></p>;
  return { now: wanted ? module.now : undefined, refusal };
}

/** Returns a component that loads another one. Until then, it shows nothing. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const module = lazy(load);
  return (props: P) => {
    const { now: View, refusal } = useLazy(module);
    return View === undefined ? <>{refusal}</> : <View {...props} />;
  };
}
