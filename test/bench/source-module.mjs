import { register } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

register('../helpers/typescript-hooks.mjs', import.meta.url);

/** A module of the sources beside a build, by its path without `.ts`: the build has them in one file. */
export const sourceModule = (dist, path) =>
  import(pathToFileURL(join(dirname(dist), 'src', `${path}.ts`)).href);
