import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { bundledLicenses } from './bundled-licenses.js';

/** Stands for the nonce of a response in the built page; the gateway replaces it. */
const nonceMark = '%SIGNALBOX_NONCE%';

/** The surfaces whose requests have a row each, as the API describes them. */
function requestSurfaces(): string[] {
  const file = join(import.meta.dirname, '../../schemas/request.response.schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly properties: { readonly surface: { readonly enum: string[] } };
  };
  return schema.properties.surface.enum;
}

/** `build.mjs` builds this folder into `dist/dashboard`. */
export default defineConfig({
  root: import.meta.dirname,
  // relative, because a gateway may be mounted under any path
  base: './',
  plugins: [react(), bundledLicenses()],
  define: { requestSurfaces: JSON.stringify(requestSurfaces()) },
  html: { cspNonce: nonceMark },
  build: {
    target: 'es2022',
    // small pictures in the page would be `data:` addresses, which the policy refuses
    assetsInlineLimit: 0,
    emptyOutDir: true,
    reportCompressedSize: false,
    rollupOptions: {
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
