import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../src/grounding/reading/public-address.js';

describe('an address', () => {
  it.each([
    '93.184.215.14',
    '8.8.8.8',
    '2606:4700:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('of the internet is public: %s', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    '::8.8.8.8',
    '2002:808:808::',
    '8.8.8',
    '8.8.8.8.',
    '08.8.8.8',
    '0x8.8.8.8',
    '',
    'x',
    '::1]',
  ])('is not public if it is of no use, or none: %j', (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );

  it('of this machine is not public, in whatever network it stands', () => {
    const own = ['93.184.215.14', '2606:4700:4700::1111', 'fe80::1%eth0'];
    expect(isPublicAddress('93.184.215.14', own)).toBe(false);
    expect(isPublicAddress('::ffff:93.184.215.14', own)).toBe(false);
    expect(isPublicAddress('2606:4700:4700:0:0::1111', own)).toBe(false);
    expect(isPublicAddress('93.184.215.15', own)).toBe(true);
    for (const entry of Object.values(networkInterfaces()).flat())
      expect(isPublicAddress(entry?.address ?? '')).toBe(false);
  });
});
