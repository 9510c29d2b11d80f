import { Stack, Text } from '@mantine/core';
import { Caption, LongText, Note, PageLink, StateBadge } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import { errorShare, outcomeOf, reasonOf } from '../../format/outcomes.js';
import { Empty, Loaded } from '../../components/loaded.js';
import { type Column, figure, ListTable, column } from '../../components/list-table.js';
import { formatCount, formatShare, formatUsd } from '../../format/numbers.js';
import { formatAgo, formatMs, formatSecond, formatUntil } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { api, dataOf } from '../../api/client.js';
import { TestButton } from '../../components/test-button.js';
import { useRead } from '../../api/queries.js';

const text = texts.models;
const refreshMs = 10_000;
type Provider = Schema<'ProviderResponse'>;

/** The colour that stands for how a provider does. */
const conditionColors = {
  ok: 'green',
  failing: 'red',
  resting: 'orange',
  untried: 'gray',
} as const;

/** The configured providers, read again every ten seconds. */
export const useProviders = () => useRead('/api/v1/providers', {}, { refetchInterval: refreshMs });

/** How each provider does now; addresses and health only for administrators. */
export const ProvidersTable = ({ isAdmin }: { isAdmin: boolean }) => (
  <Loaded query={useProviders()} lines={3}>
    {({ items }) => (
      <ListTable
        label={text.providers}
        columns={isAdmin ? [...columns, ...healthColumns] : columns}
        rows={items}
        keyOf={({ name }) => name}
        minWidth={isAdmin ? 860 : 420}
        empty={<Empty title={text.noProviders} hint={text.noProvidersHint} />}
      />
    )}
  </Loaded>
);

const columns: readonly Column<Provider>[] = [
  column(texts.common.provider, (provider) => <Name provider={provider} />),
  column(texts.common.state, (provider) => <Condition provider={provider} />),
  figure(texts.common.models, ({ models }) => formatCount(models)),
];

/** What administrators see. */
const healthColumns: readonly Column<Provider>[] = [
  figure(text.errors, ({ details }) => formatShare(errorShare(details?.health ?? null))),
  figure(text.latency, ({ details }) => formatMs(details?.health?.latencyMs)),
  figure(texts.common.firstToken, ({ details }) => formatMs(details?.health?.ttftMs)),
  column(text.lastError, ({ details }) => lastErrorsOf(details?.health ?? null)),
  column(text.test, ({ name }) => <AskNow provider={name} />, { isHeadHidden: true }),
];

const Name = ({ provider: { name, api: dialect, details } }: { provider: Provider }) => (
  <>
    <Caption>{name}</Caption>
    <Note className="text-plain">{dialect}</Note>
    <Note truncate maw={260} title={details?.baseUrl ?? ''}>
      {details?.baseUrl}
    </Note>
  </>
);

/** A provider's state, and what of it is set aside: why, since when and until when. */
const Condition = ({ provider: { name, condition, details } }: { provider: Provider }) => (
  <Stack gap={2} align="flex-start">
    <StateBadge color={conditionColors[condition]} label={text.conditions[condition]} />
    {[...byCause(details)].map(([cause, lines]) => (
      <div key={cause}>
        {lines.map(({ since, words }) => (
          <Text key={words} size="xs" title={fill(text.since, { time: formatSecond(since) })}>
            {words}
          </Text>
        ))}
        <LongText size="xs" c="var(--mantine-color-error)">
          {cause}
        </LongText>
      </div>
    ))}
    {condition === 'failing' || condition === 'resting' || details?.circuits.length ? (
      <PageLink
        size="xs"
        className="one-line"
        href={`/requests?provider=${encodeURIComponent(name)}&failedBy=provider`}
      >
        {text.seeFailures}
      </PageLink>
    ) : null}
  </Stack>
);

/** What is set aside, below each other where the cause is the same. */
function byCause(details: Provider['details']) {
  const { circuits = [], cooldowns = [] } = details ?? {};
  const asides = [
    ...circuits.map(({ model, state, ...one }) => {
      const what = model ?? text.wholeProvider;
      const words = fill(text.circuits[state], { time: formatUntil(one.until) });
      return { ...one, words: fill(text.setAside, { what, words, failures: one.failures }) };
    }),
    ...cooldowns.map(({ key, model, why, ...one }) => {
      const ofModel = model === null ? '' : fill(text.ofModel, { model });
      const until = { key, model: ofModel, time: formatUntil(one.until), why: text.whys[why] };
      return { ...one, words: fill(text.cooldownUntil, until) };
    }),
  ];
  const found = new Map<string, typeof asides>();
  for (const one of asides) {
    const { code, message } = one.cause;
    const cause = fill(text.causeText, { reason: reasonOf(code), message });
    found.set(cause, [...(found.get(cause) ?? []), one]);
  }
  return found;
}

/** The provider's own last failure, and that of a model that it does not have. */
function lastErrorsOf(health: NonNullable<Provider['details']>['health']) {
  const { lastFailure = null, lastModelError = null } = health ?? {};
  if (!lastFailure && !lastModelError) return null;
  return (
    <Stack gap={2}>
      {lastFailure ? (
        <Text size="xs" title={formatSecond(lastFailure.at)}>
          {formatAgo(lastFailure.at)}: {outcomeOf(lastFailure)}, {lastFailure.model}
        </Text>
      ) : null}
      {lastFailure?.message ? (
        <LongText size="xs" c="dimmed">
          {lastFailure.message}
        </LongText>
      ) : null}
      {health?.isLogged ? <Note>{text.fromLog}</Note> : null}
      {lastModelError ? (
        <Note className="text-plain" title={formatSecond(lastModelError.at)}>
          {fill(text.modelMissing, {
            time: formatAgo(lastModelError.at),
            status: lastModelError.status ?? lastModelError.code,
            model: lastModelError.model,
          })}
        </Note>
      ) : null}
    </Stack>
  );
}

/** Sends a tiny request to a provider. Default of the model: the cheapest that `auto` may choose. */
async function ask(name: string, model?: string): Promise<{ ok: boolean; words: string }> {
  const asked = { params: { path: { name } }, body: model === undefined ? {} : { model } };
  const { ok, ...told } = await dataOf(api.POST('/api/v1/providers/{name}/test', asked));
  const words = ok
    ? fill(text.testOk, {
        model: told.model,
        latency: formatMs(told.latencyMs),
        ttft: formatMs(told.ttftMs),
        cost: formatUsd(told.costUsd),
      })
    : fill(text.testFailed, { model: told.model, message: told.error?.message ?? '' });
  return { ok, words };
}

/** A button that asks a provider, or one of its models, whether it answers. */
export const AskNow = ({ provider, model }: { provider: string; model?: string }) => (
  <TestButton
    label={text.test}
    name={fill(text.testLabel, { name: [provider, model].filter(Boolean).join('/') })}
    test={() => ask(provider, model)}
  />
);
