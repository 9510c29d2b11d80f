import { nativeErrorBody } from '../error-handler.js';
import type { Surface } from './surface.js';

/**
 * The API's resources: accounts, keys, conversations, preferences, sessions, requests, feedback.
 */
export const resources: Surface = {
  name: 'resources',
  invalidCode: 'validation_failed',
  errorBody: nativeErrorBody,
};
