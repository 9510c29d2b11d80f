import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Stands for the nonce of a response in the built page; the gateway replaces it. */
const nonceMark = '%SIGNALBOX_NONCE%';

/** `build.mjs` builds this folder into `dist/dashboard`. */
export default defineConfig({
  root: import.meta.dirname,
  // relative, because a gateway may be mounted under any path
  base: './',
  plugins: [react()],
  html: { cspNonce: nonceMark },
  // Mantine's table brings a scroll area, which is not used here, and with it 18 kB of code that places it
  resolve: {
    alias: {
      './TableScrollContainer.mjs': 'data:text/javascript,export const TableScrollContainer = null',
    },
  },
  build: {
    target: 'es2022',
    // small pictures in the page would be `data:` addresses, which the policy refuses
    assetsInlineLimit: 0,
    emptyOutDir: true,
    // of the packages in the bundle; served as the other files of the dashboard are
    license: { fileName: 'assets/licenses.txt' },
    // one style sheet, which a page that is imported again cannot lack
    cssCodeSplit: false,
    // counted before compression; test/dashboard/first-load.long.test.ts limits what is sent
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rollupOptions: {
      // the dashboard imports what `try-it.js` exports
      preserveEntrySignatures: 'exports-only',
      input: {
        index: join(import.meta.dirname, 'index.html'),
        // the page `/docs` is made by the gateway and names this file
        'try-it': join(import.meta.dirname, 'reference/try-it.ts'),
      },
      output: {
        entryFileNames: ({ name }) => (name === 'try-it' ? 'try-it.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
