/** How many searches, or pages, a run works on at once. */
const maxParallel = 4;

/**
 * Does some work for each item, four at a time. Waits for all of them, also where some fail.
 * @throws what the first one that failed threw
 */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  const workers = Array.from({ length: Math.min(maxParallel, items.length) }, worker);
  for (const outcome of await Promise.allSettled(workers))
    if (outcome.status === 'rejected') throw outcome.reason;
}
