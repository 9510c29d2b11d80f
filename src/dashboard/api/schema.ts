import type { components } from './api-types.js';

/** The shape of an answer, by its name in the OpenAPI document. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** A request of the log with its attempts, its choice and its tokens. */
export type RequestDetails = Schema<'RequestResponse'>;

/** A model that the gateway can call, with prices and abilities. */
export type Model = Schema<'DescribedModelResponse'>;

/** A candidate as a plan keeps it. */
export type WeighedCandidate = Omit<Schema<'ModelSelectResponseCandidate'>, 'provider' | 'model'>;
