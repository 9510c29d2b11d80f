import { expect, it } from 'vitest';
import { parseUrl } from '../../src/text/parse-url.js';

it('an address with letters beyond ASCII is one, however often it is parsed', () => {
  for (let time = 0; time < 20_000; time++)
    if (parseUrl('https://münchen.example/straße')?.hostname !== 'xn--mnchen-3ya.example')
      expect.fail(`not at time ${time}`);
  expect(parseUrl('no address')).toBeNull();
});
