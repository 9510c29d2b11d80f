import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.js';

/** The package's version. */
export const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
  version: string;
};
