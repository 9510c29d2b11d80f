import { expect, it } from 'vitest';
import { Turns } from '../../../../src/store/drivers/libsql/driver.js';

it('gives turns one at a time, in the order of the calls', async () => {
  const turns = new Turns();
  const order: number[] = [];
  await turns.take();
  const others = [1, 2, 3].map(async (name) => {
    await turns.take();
    order.push(name);
    turns.give();
  });
  await Promise.resolve();
  expect(order).toEqual([]);
  turns.give();
  await Promise.all(others);
  expect(order).toEqual([1, 2, 3]);
  await turns.take();
});

it('rejects a caller that has waited too long, and goes on with the next', async () => {
  const turns = new Turns(30);
  await turns.take();
  await expect(turns.take()).rejects.toMatchObject({
    code: 'WAITED_TOO_LONG',
    message: 'it was busy for 30 ms',
  });
  const next = turns.take();
  turns.give();
  await next;
});
