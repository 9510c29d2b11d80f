import { fileURLToPath } from 'node:url';

/*
 * Where the package's files are. A module's own address does not tell it, because `build.mjs` puts
 * many modules into one file. This module stands at the top of `src`, and the file that has it at the
 * top of `dist`: from both, the package is one folder up.
 */

/** The path of a file or folder of the package, such as `config/signalbox.yaml`. */
export const packageFile = (path: string): string =>
  fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The script of a thread, by its path in `src` without `.js`: its source, or what was built of it. */
export const threadScript = (name: string): URL => new URL(`./${name}.js`, import.meta.url);
