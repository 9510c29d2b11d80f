import { hasBudget } from '../../accounts/caller-limits.js';
import type { GatewayTool } from '../../grounding/tools/gateway-tool.js';
import type { CompletionUsage } from '../completion-usage.js';
import { reserveLimits } from '../limits.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';

/** Charges what a request costs beside its tokens, to the budgets of its caller too. */
export class GroundingPayments {
  constructor(
    private readonly parts: GatewayParts,
    private readonly request: GatewayRequest,
    private readonly figures: CompletionUsage,
  ) {}

  /**
   * Reserves the price of one call.
   * @returns to be called with what it cost; unknown costs count as reserved
   * @throws GatewayError as `reserveLimits`
   */
  async pay({
    priceUsd,
  }: Pick<GatewayTool, 'priceUsd'>): Promise<(costUsd: number | null) => void> {
    if (!hasBudget(this.request.caller) || !priceUsd) return (costUsd) => this.add(costUsd ?? 0);
    const granted = await reserveLimits(this.parts, this.request, {
      requests: null,
      tokens: null,
      costUsd: priceUsd,
    });
    return (costUsd) => {
      const charged = costUsd ?? priceUsd;
      granted.settle({ requests: null, tokens: null, costUsd: charged });
      this.add(charged);
    };
  }

  private add(costUsd: number): void {
    const { reservation } = this.request;
    if (costUsd <= 0) return;
    if (hasBudget(this.request.caller)) reservation?.addBeside(costUsd);
    else this.figures.addBeside(costUsd);
  }
}
