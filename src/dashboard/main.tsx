import '@mantine/core/styles.css';
import './dashboard.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { pageNonce } from './theme.js';

// dialogs stop the page from scrolling by a style element, whose package looks for its nonce here
Object.assign(globalThis, { __webpack_nonce__: pageNonce() });

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
