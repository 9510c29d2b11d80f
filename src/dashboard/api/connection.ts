/** How long to wait before a gateway that does not answer is asked again. In ms. */
const askAgainMs = 1_500;

/** The statuses by which proxies say that the gateway behind them does not answer. */
const proxyStatuses: readonly number[] = [502, 503, 504];

const listeners = new Set<() => void>();
const refusedListeners = new Set<() => void>();
let isAnswering = true;

/** Whether the gateway answered the last request. */
export const isGatewayAnswering = (): boolean => isAnswering;

/** Calls a function whenever that changes. @returns what ends this */
export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Calls a function whenever a request was refused because the sign-in has ended. */
export const onSignedOut = (listener: () => void): void => void refusedListeners.add(listener);

/**
 * Notes how a request ended; null: no answer came. While none comes, the gateway is asked again
 * until it answers.
 * @returns whether the gateway answered
 */
export function noteAnswer(response: Response | null): boolean {
  const answered =
    response !== null &&
    !(proxyStatuses.includes(response.status) && !response.headers.has('x-request-id'));
  if (answered !== isAnswering) {
    isAnswering = answered;
    listeners.forEach((listener) => listener());
    if (!answered) setTimeout(() => void askAgain(), askAgainMs);
  }
  // a wrong password is refused by the same status
  if (response?.status === 401 && !response.url.includes('/api/v1/auth/'))
    refusedListeners.forEach((listener) => listener());
  return answered;
}

async function askAgain(): Promise<void> {
  const url = new URL('healthz', document.baseURI);
  const response = await fetch(url, { cache: 'no-store' }).catch(() => null);
  if (!noteAnswer(response)) setTimeout(() => void askAgain(), askAgainMs);
}

/** Resolves when the gateway answers. */
async function untilAnswering(): Promise<void> {
  noteAnswer(await fetch(new URL('healthz', document.baseURI)).catch(() => null));
  if (isAnswering) return;
  await new Promise<void>((resolve) => {
    const stop = onConnectionChange(() => {
      stop();
      resolve();
    });
  });
}

/** A page that was loaded this recently is not loaded again: that would not help. In ms. */
const justLoadedMs = 10_000;

/** Whether this page comes of a reload: while two builds answer by turns, one more may not help. */
const wasJustReloaded = (): boolean =>
  performance.now() < justLoadedMs &&
  performance
    .getEntriesByType('navigation')
    .some((entry) => (entry as PerformanceNavigationTiming).type === 'reload');

/**
 * Imports a part of the dashboard. Where that fails, it waits for the gateway and tries again. If
 * the gateway has another build now, or the browser remembers the failure, it loads the page anew.
 */
export async function importPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch {
    await untilAnswering();
  }
  if (wasJustReloaded() || !(await hasOtherBuild()))
    try {
      return await load();
    } catch (error) {
      if (performance.now() < justLoadedMs) throw error;
    }
  location.reload();
  return new Promise(() => undefined);
}

/** Whether the gateway's page names another script than the one that runs here. */
async function hasOtherBuild(): Promise<boolean> {
  const script = document.querySelector('script[type=module][src]')?.getAttribute('src');
  const page = await fetch(document.baseURI, { headers: { accept: 'text/html' } });
  return page.ok && script != null && !(await page.text()).includes(script);
}
