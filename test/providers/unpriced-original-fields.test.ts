import { expect, it } from 'vitest';
import { unpricedOriginalField } from '../../src/providers/unpriced-fields.js';

it.each<[object, string | null]>([
  [{ speed: 'standard' }, null],
  [{ speed: 'fast' }, 'speed'],
  [{ speed: null, service_tier: 'auto' }, null],
  [{ service_tier: 'priority' }, 'service_tier'],
  [{ inference_geo: 'us' }, 'inference_geo'],
  [{ output_format: { type: 'json_schema', schema: {} } }, null],
  [{ prompt_cache_options: { mode: 'explicit' }, prompt_cache_retention: null }, null],
  [{ user_profile_id: 'p', metadata: { user_id: 'u' } }, null],
  [{ fallbacks: [{ model: 'm' }] }, 'fallbacks'],
  [{ truncation: 'auto', text: { verbosity: 'low' }, include: [] }, null],
])('of %j, %s is what the prices of tokens do not cover', (body, field) => {
  expect(unpricedOriginalField({ body: { model: 'm', ...body } })).toBe(field);
});
