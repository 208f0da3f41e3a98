import './app.js';

document.title = 'done';
