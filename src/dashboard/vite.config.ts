import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Stands for the nonce of a response in the built page; the gateway replaces it. */
const nonceMark = '%SIGNALBOX_NONCE%';

/** `build.mjs` builds this folder into `dist/dashboard`. */
export default defineConfig({
  root: import.meta.dirname,
  // relative, because a gateway may be mounted under any path
  base: './',
  plugins: [react(), bundledLicenses()],
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

/** Where the build leaves the licences; served as the other files of the dashboard are. */
const fileName = 'assets/licenses.txt';

/** Scripts of a package that npm runs when it is installed. */
const installScripts = ['preinstall', 'install', 'postinstall'] as const;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/**
 * Writes the licences of all packages that are in the bundle into a file beside it. The build fails
 * if one of them states no licence, or would run a script when it is installed.
 */
function bundledLicenses(): Plugin {
  return {
    name: 'bundled-licenses',
    generateBundle() {
      const folders = new Set([...this.getModuleIds()].flatMap(packageFolderOf));
      const notices = [...folders].sort().map((folder) => noticeOf(folder));
      const source = `${[...new Set(notices)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
      this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

/** The folder of the package that a module belongs to; none for those of the dashboard. */
function packageFolderOf(module: string): string[] {
  const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module);
  return found?.[1] === undefined || /[\0?]/.test(found[1]) ? [] : [found[1]];
}

function noticeOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license, scripts = {} } = manifest;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  if (license === undefined && files.length === 0) throw new Error(`${name} states no licence`);
  const script = installScripts.find((one) => scripts[one] !== undefined);
  if (script !== undefined) throw new Error(`${name} has a script that runs at ${script}`);
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n');
}
