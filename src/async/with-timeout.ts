/**
 * Settles as `work` does. When `work` takes longer than `limitMs`, settles with what `onTimeout`
 * returns or throws. The work itself is not cancelled, and a later rejection of it is ignored.
 */
export async function withTimeout<T, U>(
  work: Promise<T>,
  limitMs: number,
  onTimeout: () => U,
): Promise<T | U> {
  const expired = Symbol();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof expired>((resolve) => {
    timer = setTimeout(resolve, limitMs, expired);
  });
  try {
    const first = await Promise.race([work, limit]);
    return first === expired ? onTimeout() : first;
  } finally {
    clearTimeout(timer);
  }
}
