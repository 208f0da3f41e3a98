import { render } from 'preact';
import { App } from './app';
import './style.css';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);

// Another visit needs no network. Where the page may not have a service worker, it works all the same.
if (import.meta.env.PROD && 'serviceWorker' in navigator) navigator.serviceWorker.register('./offline.js').catch(() => undefined);
