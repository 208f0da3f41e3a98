// The inspector as an element: `<unspool-inspector src="vectors.cvc">`.

/** The elements of this package; absent in Node. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

// A variable: bundlers would take `new URL(…, import.meta.url)` for a file to bundle.
const module: string = import.meta.url;

/** Attributes that choose what is shown. */
const WATCHED = ['src', 'compare', 'view', 'page'] as const;

/**
 * Shows a file in the inspector: its values, structure, bytes, and where it is broken.
 *
 * ```html
 * <script type="module" src="node_modules/unspool/dist/element.js"></script>
 * <unspool-inspector src="vectors.cvc"></unspool-inspector>
 * ```
 *
 * | attribute | |
 * |---|---|
 * | `src` | address of the file; the server of another origin must allow it (CORS) |
 * | `compare` | address of a second file to compare with |
 * | `view` | `data`, `structure`, `bytes` or `codec` |
 * | `page` | address of the inspector; by default the folder `inspector` of this package |
 *
 * A bundler does not see that folder: copy it to the site, and set `page`. The inspector is in a
 * frame: its styles and its policy stay apart from those of the page around it.
 */
export class UnspoolInspector extends Base {
  /** Attributes that choose what is shown. */
  static readonly observedAttributes: readonly string[] = WATCHED;
  #frame: HTMLIFrameElement | undefined;
  /** Files to open as soon as the inspector listens. */
  #files: readonly File[] | undefined;
  #listens = false;

  /** Builds the frame. */
  connectedCallback(): void {
    if (this.#frame !== undefined) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const style = new CSSStyleSheet();
    style.replaceSync(':host { display: block; height: 640px } iframe { display: block; width: 100%; height: 100%; border: 0 }');
    root.adoptedStyleSheets = [style];
    this.#frame = document.createElement('iframe');
    this.#frame.title = 'unspool inspector';
    this.#frame.allow = 'clipboard-write; fullscreen';
    this.#show();
    root.append(this.#frame);
    addEventListener('message', this.#hear);
  }

  /** Removes the frame, which ends all work on the file. */
  disconnectedCallback(): void {
    removeEventListener('message', this.#hear);
    this.#frame?.remove();
    this.#frame = undefined;
    this.#listens = false;
  }

  /** Follows a changed attribute. */
  attributeChangedCallback(): void {
    this.#show();
  }

  /** Opens files of the visitor, or bytes. They stay in the browser. */
  open(...files: readonly File[]): void {
    this.#files = files;
    this.#give();
  }

  get #page(): URL {
    const page = this.getAttribute('page');
    return page === null ? new URL('../inspector/', module) : new URL(page, document.baseURI);
  }

  #show(): void {
    if (this.#frame === undefined) return;
    const [src, compare, view] = ['src', 'compare', 'view'].map((name) => this.getAttribute(name));
    const absolute = (address: string): string => new URL(address, document.baseURI).href;
    const place = new URLSearchParams();
    if (src && compare) {
      place.set('a', absolute(src));
      place.set('b', absolute(compare));
    } else if (src) place.set('url', absolute(src));
    if (view) place.set('view', view);
    const page = this.#page;
    page.hash = place.toString();
    if (this.#frame.src === page.href) return;
    // Another fragment moves within the inspector; another address loads it again.
    if (this.#frame.src.split('#')[0] !== page.href.split('#')[0]) this.#listens = false;
    this.#frame.src = page.href;
  }

  readonly #hear = ({ source, data }: MessageEvent<unknown>): void => {
    if (source === null || source !== this.#frame?.contentWindow || data !== 'unspool listens') return;
    this.#listens = true;
    this.#give();
  };

  #give(): void {
    if (!this.#listens || this.#files === undefined) return;
    this.#frame?.contentWindow?.postMessage({ unspool: this.#files }, this.#page.origin);
    this.#files = undefined;
  }
}

declare global {
  /** Adds the element to the types of `document.createElement`. */
  interface HTMLElementTagNameMap {
    /** The inspector. */
    'unspool-inspector': UnspoolInspector;
  }
}

globalThis.customElements?.define('unspool-inspector', UnspoolInspector);
