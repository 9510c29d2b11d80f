import { expect, it } from 'vitest';
import { withoutRemoved } from '../../src/config/resolve.js';

const removed = {
  'routing.luck': 'the gateway chooses without it.',
  telegraph: 'the gateway sends no telegrams.',
};

it('leaves out settings that are gone, with a warning for each', () => {
  const { kept, warnings } = withoutRemoved(
    { routing: { luck: 1, ranker: 'prior' }, telegraph: { key: 'secret' }, models: {} },
    removed,
  );
  expect(kept).toEqual({ routing: { ranker: 'prior' }, models: {} });
  expect(warnings).toEqual([
    'routing.luck is ignored: the gateway chooses without it.',
    'telegraph is ignored: the gateway sends no telegrams.',
  ]);
});

it('changes nothing of settings that exist, and never the written object', () => {
  const current = { routing: { ranker: 'prior' } };
  expect(withoutRemoved(current, removed)).toEqual({ kept: current, warnings: [] });
  const old = { routing: { luck: 1 } };
  withoutRemoved(old, removed);
  expect(old).toEqual({ routing: { luck: 1 } });
});

it.each([null, 7, 'text', [], { routing: null }, { routing: ['luck'] }, { 'routing.luck': 1 }])(
  'leaves what is no section to the schema: %j',
  (written) => {
    expect(withoutRemoved(written, removed)).toEqual({ kept: written, warnings: [] });
  },
);
