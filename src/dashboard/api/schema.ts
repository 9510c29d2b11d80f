import type { components } from './api-types.js';

/** The shape of an answer, by its name in the OpenAPI document. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
