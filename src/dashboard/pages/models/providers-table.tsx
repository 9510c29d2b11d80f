import { Stack, Text } from '@mantine/core';
import { LongText, Note, PageLink, StateBadge } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import { outcomeOf, reasonOf } from '../../format/outcomes.js';
import { Empty, Loaded } from '../../components/loaded.js';
import { type Column, figure, ListTable } from '../../components/list-table.js';
import { formatCount, formatShare } from '../../format/numbers.js';
import { formatAgo, formatMs, formatSecond, formatUntil } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { conditionColors, errorShare } from './scales.js';
import { AskNow } from './ask-now.js';
import { useRead } from '../../api/queries.js';

const text = texts.models;
const refreshMs = 10_000;
type Provider = Schema<'ProviderResponse'>;

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
  { label: texts.common.provider, cell: (provider) => <Name provider={provider} /> },
  { label: texts.common.state, cell: (provider) => <Condition provider={provider} /> },
  figure(texts.common.models, ({ models }) => formatCount(models)),
];

/** What administrators see. */
const healthColumns: readonly Column<Provider>[] = [
  figure(text.errors, ({ details }) => formatShare(errorShare(details?.health ?? null))),
  figure(text.latency, ({ details }) => formatMs(details?.health?.latencyMs)),
  figure(texts.common.firstToken, ({ details }) => formatMs(details?.health?.ttftMs)),
  { label: text.lastError, cell: ({ details }) => lastErrorsOf(details?.health ?? null) },
  { label: text.test, cell: ({ name }) => <AskNow provider={name} />, isHeadHidden: true },
];

const Name = ({ provider: { name, api: dialect, details } }: { provider: Provider }) => (
  <>
    <Text size="sm" fw={600}>
      {name}
    </Text>
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
    {details
      ? [...byCause(details)].map(([cause, lines]) => (
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
        ))
      : null}
    {condition === 'failing' || condition === 'resting' || details?.circuits.length ? (
      <PageLink size="xs" href={`/requests?provider=${encodeURIComponent(name)}&failedBy=provider`}>
        {text.seeFailures}
      </PageLink>
    ) : null}
  </Stack>
);

/** What is set aside, below each other where the cause is the same. */
function byCause({ circuits, cooldowns }: NonNullable<Provider['details']>) {
  const asides = [
    ...circuits.map(({ model, state, ...one }) => {
      const what = model ?? text.wholeProvider;
      const until = { what, state: text.circuits[state], time: formatUntil(one.until) };
      return { ...one, words: fill(text.openUntil, { ...until, failures: one.failures }) };
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
