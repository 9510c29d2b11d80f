import type { Surface } from './surface.js';

/** The cousin dialect that public SDKs of model selection speak, below `/v2`: errors are `{detail}`. */
export const v2: Surface = {
  name: 'model_select',
  invalidCode: 'bad_request',
  errorBody: ({ message }) => ({ detail: message }),
};

/** The same for what is no choice of a model. */
export const v2Resources: Surface = { ...v2, name: 'resources' };

/** Its bodies in model selection's form: a conversation may be a bare text. */
export function asModelSelect(body: unknown): unknown {
  if (
    typeof body !== 'object' ||
    body === null ||
    !('messages' in body) ||
    typeof body.messages !== 'string'
  )
    return body;
  return { ...body, messages: [{ role: 'user', content: body.messages }] };
}
