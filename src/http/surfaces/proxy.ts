import { nativeErrorBody } from '../error-handler.js';
import type { Surface } from './surface.js';

/**
 * Pass-through: the gateway's own errors have the native shape, the provider's are forwarded
 * unchanged.
 */
export const proxySurface: Surface = {
  name: 'proxy',
  invalidCode: 'bad_request',
  errorBody: nativeErrorBody,
};
