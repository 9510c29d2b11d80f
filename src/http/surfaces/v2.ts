import { isObject } from '../../text/is-object.js';
import type { Surface } from './surface.js';

/** The `/v2` dialect of public SDKs of model selection: errors are `{detail}`. */
export const v2: Surface = {
  label: 'model_select',
  invalidCode: 'bad_request',
  errorBody: ({ message }) => ({ detail: message }),
};

/** The same for `/v2` routes that select no model. */
export const v2Resources: Surface = { ...v2, label: 'resources' };

/** Converts a `/v2` body to native model selection: `messages` may be a plain text. */
export const asModelSelect = (body: unknown): unknown =>
  isObject(body) && typeof body['messages'] === 'string'
    ? { ...body, messages: [{ role: 'user', content: body['messages'] }] }
    : body;
