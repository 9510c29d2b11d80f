/** An answer of the gateway that is not a success. */
export class ApiFailure extends Error {
  /**
   * @param status the HTTP status; 0: there was no answer
   * @param message what the gateway said
   * @param requestId `X-Request-Id`, by which the log and the request log have it
   */
  constructor(
    readonly status: number,
    message: string,
    readonly requestId: string | null,
  ) {
    super(message);
  }

  /** Reads the error of a response, in the native shape or in OpenAI's. */
  static async of(response: Response): Promise<ApiFailure> {
    const text = await response.text().catch(() => '');
    const message = messageIn(text) ?? (response.statusText || `HTTP ${response.status}`);
    return new ApiFailure(response.status, message, response.headers.get('x-request-id'));
  }
}

function messageIn(text: string): string | null {
  try {
    const { message, error } = JSON.parse(text) as {
      message?: string;
      error?: string | { message?: string };
    };
    return message ?? (typeof error === 'string' ? error : error?.message) ?? null;
  } catch {
    return null;
  }
}

/** Whether asking again may help: no answer, or the gateway is overloaded. */
export const isTemporary = (error: unknown): boolean =>
  !(error instanceof ApiFailure) || error.status === 503 || error.status === 0;

/** Whether the whole page says what is wrong: the gateway does not answer, or the sign-in has ended. */
export const isOfWholePage = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 0 || error.status === 401);

/** Whether what was asked for is not there, or belongs to somebody else. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiFailure && error.status === 404;

/** Whether the caller is not, or no longer, signed in. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiFailure && error.status === 401;
