import { getCompletionOptions } from '../../src/api/completion-options.js';
import type { Endpoint } from '../../src/api/endpoint.js';
import { endpoints } from '../../src/api/endpoints.js';
import { v2Endpoints } from '../../src/api/v2.js';

/** All endpoints of the management API, and those of the `/v2` dialect. */
export const allEndpoints: readonly Endpoint[] = [
  ...endpoints,
  getCompletionOptions,
  ...v2Endpoints,
];

/** Those that change something. */
export const changes = allEndpoints.filter(({ method }) => method !== 'get');

/** An endpoint's path with an id for each parameter. */
export const pathOf = ({ path }: Endpoint, id = 'unknown'): string => path.replace(/\{\w+\}/g, id);

/** Rows of a table of tests: the method, and the path with parameters in braces. */
export const rowsOf = (all: readonly Endpoint[]): [string, string, Endpoint][] =>
  all.map((one) => [one.method.toUpperCase(), one.path, one]);
