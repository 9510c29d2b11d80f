import { nativeErrorBody } from './native-error.js';
import type { Surface } from './surface.js';

/**
 * The API's resources: accounts, keys, conversations, preferences, sessions, requests, feedback.
 */
export const resources: Surface = {
  label: 'resources',
  invalidCode: 'validation_failed',
  errorBody: nativeErrorBody,
};
