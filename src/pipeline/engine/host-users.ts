import type { IncomingMessage } from 'node:http';
import { type Caller, type HostCaller, hostCaller } from '../../accounts/caller.js';
import { compileSchema, type Validator } from '../../config/schema/compile-schema.js';
import { GatewayError } from '../../errors.js';

/** The caller that a host names for a request; null: the host does not know the user. */
export type HostAnswer = HostCaller | null | undefined;

let validator: Validator<HostCaller> | undefined;

/**
 * The caller that a host names.
 * @throws GatewayError `internal` that names the invalid field: a misspelt limit would silently
 * bound nothing
 */
export function checkedHostCaller(named: HostCaller): Caller {
  validator ??= compileSchema<HostCaller>('host-caller');
  const failure = validator.firstFailure(named);
  if (failure)
    throw new GatewayError(
      'internal',
      `caller of the host app: ${failure.field}: ${failure.reason}`,
    );
  return hostCaller(named);
}

/** The users of the app in which the gateway is mounted. */
export class HostUsers {
  /** @param identify the host's own function; what it throws is passed on */
  constructor(
    private readonly identify: (req: IncomingMessage) => HostAnswer | Promise<HostAnswer>,
  ) {}

  /**
   * Who sends a request; null if the host does not know.
   * @throws GatewayError `internal` for an answer that is no caller; whatever the host throws
   */
  async find(req: IncomingMessage): Promise<Caller | null> {
    const named = await this.identify(req);
    return named ? checkedHostCaller(named) : null;
  }
}
