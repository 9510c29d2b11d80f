import { api } from '../../api/client.js';
import type { Rating } from '../../components/conversation/answer.js';

/** Tells the gateway how good an answer was; its router learns from it. */
export async function rate(responseId: string, rating: Exclude<Rating, null>): Promise<void> {
  await api.POST('/api/v1/feedback', {
    body: { response_id: responseId, score: rating === 'good' ? 1 : 0 },
  });
}
