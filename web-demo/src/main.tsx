import { render } from 'preact';
import { App } from './app';
import './style.css';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);

// Makes the page work offline. Without a service worker it works online.
if (import.meta.env.PROD && 'serviceWorker' in navigator) navigator.serviceWorker.register('./offline.js').catch(() => undefined);
