import { openAICompatible } from './openai-compatible/index.js';

const root = (baseUrl: string): string => baseUrl.replace(/\/openai(\/v1)?$/, '');

/**
 * Azure OpenAI. `baseUrl` is the resource, `https://<resource>.openai.azure.com`. With `apiVersion` the deployment stands in the path, as
 * older resources want it; without, the v1 API takes it as the model. `deployments` maps model names to deployments.
 */
export const azureOpenAI = openAICompatible('azure-openai', {
  pricesAs: 'azure',
  keyHeader: (apiKey) => ({ 'api-key': apiKey }),
  adaptBody(body, settings) {
    body['model'] = settings.deployments?.[String(body['model'])] ?? body['model'];
  },
  urlOf(settings, baseUrl, operation, model) {
    if (settings.apiVersion === undefined) return `${root(baseUrl)}/openai/v1/${operation}`;
    const deployment = encodeURIComponent(settings.deployments?.[model] ?? model);
    return `${root(baseUrl)}/openai/deployments/${deployment}/${operation}?api-version=${encodeURIComponent(settings.apiVersion)}`;
  },
});
