import { Transform } from 'node:stream';

/**
 * A stream that replaces secrets in its bytes by as many asterisks, wherever chunks are cut: the
 * length of the body stays what its headers announce.
 */
export function maskSecrets(secrets: readonly string[]): Transform {
  const hidden = secrets.map((secret) => Buffer.from(secret).toString('latin1'));
  const longest = Math.max(0, ...hidden.map(({ length }) => length));
  let held = '';
  /** The beginning of a secret may be at the end of what has come. */
  const take = (keep: number): Buffer => {
    for (const secret of hidden) held = held.replaceAll(secret, '*'.repeat(secret.length));
    const end = Math.max(0, held.length - keep);
    const ready = Buffer.from(held.slice(0, end), 'latin1');
    held = held.slice(end);
    return ready;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held += chunk.toString('latin1');
      done(null, take(longest - 1));
    },
    flush(done) {
      done(null, take(0));
    },
  });
}
