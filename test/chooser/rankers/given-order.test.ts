import { expect, it } from 'vitest';
import { givenOrder } from '../../../src/chooser/rankers/given-order.js';
import { appraisalOf } from '../../helpers/appraisals.js';

it('keeps the given order, with falling scores, whatever is known', () => {
  const ranked = givenOrder.rank({ messages: [], tradeoff: 'cost' }, [
    appraisalOf('a', { quality: 0.1, price: 9 }),
    appraisalOf('b', { quality: 0.9, price: 1 }),
  ]);
  expect(ranked.map(({ model, score, why }) => [model, score, why.quality, why.reason])).toEqual([
    ['a', 1, 0.1, 'first in the order given'],
    ['b', 0.5, 0.9, 'number 2 in the order given'],
  ]);
});
