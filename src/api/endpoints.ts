import { accountEndpoints } from './accounts.js';
import { listAlerts } from './alerts.js';
import { listActs } from './audit.js';
import { configurationEndpoints } from './configuration.js';
import { conversationEndpoints } from './conversations.js';
import type { Endpoint } from './endpoint.js';
import { evaluationEndpoints } from './evaluations.js';
import { feedbackEndpoints } from './feedback.js';
import { getUsageSeries } from './figures/usage-series.js';
import { keyEndpoints } from './keys.js';
import { learningEndpoints } from './learning.js';
import { listDescribedModels } from './models.js';
import { preferenceEndpoints } from './preferences.js';
import { priceEndpoints } from './prices.js';
import { providerEndpoints } from './providers.js';
import { getRequestFailures, getRequestHistogram, requestEndpoints } from './requests.js';
import { savingsEndpoints } from './savings.js';
import { sessionEndpoints } from './sessions.js';
import { signInEndpoints } from './sign-in.js';
import { trainingEndpoints } from './trainings.js';
import { getUsage } from './figures/usage.js';

/** The endpoints of an account's resources, in the order of the API's document. */
export const endpoints: readonly Endpoint[] = [
  listDescribedModels,
  ...providerEndpoints,
  ...priceEndpoints,
  ...conversationEndpoints,
  ...preferenceEndpoints,
  ...trainingEndpoints,
  ...evaluationEndpoints,
  ...learningEndpoints,
  ...requestEndpoints,
  getUsage,
  getRequestHistogram,
  getRequestFailures,
  getUsageSeries,
  ...savingsEndpoints,
  ...sessionEndpoints,
  ...feedbackEndpoints,
  ...keyEndpoints,
  ...signInEndpoints,
  ...accountEndpoints,
  listActs,
  listAlerts,
  ...configurationEndpoints,
];
