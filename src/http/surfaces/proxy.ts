import { nativeErrorBody } from '../error-handler.js';
import type { Surface } from './surface.js';

/** Pass-through: only our own errors are ours; the provider's are its own. */
export const proxySurface: Surface = {
  name: 'proxy',
  invalidCode: 'bad_request',
  errorBody: nativeErrorBody,
};
