import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

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
export function bundledLicenses(): Plugin {
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
