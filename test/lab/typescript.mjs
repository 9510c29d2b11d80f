// @ts-check
import { register } from 'node:module';

// For `node --import`: lets Node run TypeScript sources without a build. Worker threads inherit the
// option, so it applies to them too.
register('../helpers/typescript-hooks.mjs', import.meta.url);
