import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects garbage, all of it. */
export const collectGarbage = runInNewContext('gc') as () => void;
