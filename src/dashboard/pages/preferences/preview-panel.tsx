import { Badge, Box, Progress, SimpleGrid, Stack, Tabs, Text } from '@mantine/core';
import { Caption, FigureTile, Note, PageLink, PlainText } from '../../components/elements.js';
import { Empty, Loaded } from '../../components/loaded.js';
import { Panel } from '../../components/page.js';
import {
  formatCount,
  formatQuality,
  formatUsd,
  reasonWords,
  unknownValue,
} from '../../format/numbers.js';
import { formatInstant, formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { Draft } from './settings.js';
import { type Preview, type PreviewItem, usePreview } from './queries.js';
import { type Column, figure, ListTable, column } from '../../components/list-table.js';

const text = texts.preferences;

/** What a draft would choose, beside what is chosen now. */
export function PreviewPanel({ draft, storedId }: { draft: Draft; storedId: string | null }) {
  const query = usePreview(draft, storedId);
  return (
    <Panel title={text.preview} lead={storedId === null ? text.previewOfNone : text.previewOf}>
      <Loaded query={query} lines={10}>
        {(preview) => (
          <Stack gap="md" aria-live="polite" aria-busy={query.isFetching}>
            <Tiles totals={preview.totals} />
            <Wins totals={preview.totals} />
            <Items items={preview.items} />
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

type Totals = Preview['totals'];
type Beside = Totals['cost'];

function Tiles({ totals }: { totals: Totals }) {
  const { changed, items, cost, quality, latency } = totals;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm">
      <FigureTile
        label={text.changedChoices}
        value={formatCount(changed)}
        detail={fill(text.ofItems, { count: changed, all: items })}
      />
      <BesideTile label={texts.common.expectedCost} of={cost} show={formatUsd} note={text.sum} />
      <BesideTile label={text.predicted} of={quality} show={formatQuality} note={text.mean} />
      <BesideTile
        label={texts.overview.ttft}
        of={latency}
        show={(seconds) => formatMs(seconds * 1_000)}
        note={text.mean}
      />
    </SimpleGrid>
  );
}

interface BesideTileProps {
  label: string;
  of: Beside;
  show: (value: number) => string;
  note: string;
}

function BesideTile({ label, of, show, note }: BesideTileProps) {
  if (!of) return <FigureTile label={label} value={unknownValue} detail="" />;
  const now = show(of.current);
  const then = show(of.preview);
  const beside = now === then ? text.noChange : fill(text.was, { value: now });
  return (
    <FigureTile
      label={label}
      value={then}
      detail={`${beside}, ${fill(note, { count: of.items })}`}
    />
  );
}

/** How often each model wins, now and then. */
function Wins({ totals: { models, items } }: { totals: Totals }) {
  if (models.length === 0) return null;
  return (
    <Stack gap={6}>
      <Caption>{text.wins}</Caption>
      {models.map(({ label, current, preview }) => (
        <Box key={label}>
          <Text size="sm" className="figures text-plain">
            {label}{' '}
            <Note span>
              {preview} ({text.winsNow} {current})
            </Note>
          </Text>
          <Progress
            value={(100 * preview) / items}
            size="sm"
            aria-label={`${label}: ${fill(text.ofItems, { count: preview, all: items })}`}
          />
        </Box>
      ))}
    </Stack>
  );
}

function Items({ items }: Pick<Preview, 'items'>) {
  const examples = items.filter(({ source }) => source === 'example');
  const requests = items.filter(
    ({ source, winner, runnerUp }) =>
      source === 'request' && (runnerUp !== null || winner === null),
  );
  return (
    <Tabs defaultValue="examples" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="examples">{text.examples}</Tabs.Tab>
        <Tabs.Tab value="requests">
          {text.requests} ({requests.length})
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="examples" pt="sm">
        <PreviewTable items={examples} heading={texts.common.prompt} />
      </Tabs.Panel>
      <Tabs.Panel value="requests" pt="sm">
        {requests.length === 0 ? (
          <Empty title={text.noRequests} hint={text.noRequestsHint} />
        ) : (
          <PreviewTable items={requests} heading={texts.common.request} />
        )}
      </Tabs.Panel>
    </Tabs>
  );
}
type Candidate = NonNullable<PreviewItem['winner']>;

/** For each prompt or request: who wins, by how much, at what cost, and what changes. */
const PreviewTable = ({ items, heading }: { items: readonly PreviewItem[]; heading: string }) => (
  <ListTable
    label={heading}
    columns={[column<PreviewItem>(heading, (item) => <Source item={item} />), ...columns]}
    rows={items}
    keyOf={({ id }, index) => id ?? index}
    minWidth={560}
    maxHeight={560}
    fz="xs"
  />
);

const columns: readonly Column<PreviewItem>[] = [
  column(text.winner, (item) => <Winner item={item} />),
  column(text.aheadOf, leadOf),
  figure(texts.common.cost, (item) => (
    <Figure value={item.winner && formatUsd(item.winner.cost)} change={costChange(item)} />
  )),
  figure(texts.common.quality, ({ winner }) => (
    <Figure value={winner && formatQuality(winner.quality)} change={intervalText(winner)} />
  )),
  figure(texts.common.firstToken, ({ winner }) => (
    <Figure
      value={winner === null || winner.latency === null ? null : formatMs(winner.latency * 1_000)}
      change={null}
    />
  )),
];

function leadOf({ runnerUp, lead }: PreviewItem): string {
  if (!runnerUp || !lead) return text.nobodyElse;
  const score = formatQuality(lead.score);
  return fill(score === formatQuality(0) ? text.leadEqual : text.leadBy, {
    label: runnerUp.label,
    score,
  });
}

function Source({ item: { source, id, kind, prompt, at, answered } }: { item: PreviewItem }) {
  if (source === 'request')
    return (
      <>
        <PageLink size="xs" href={`/requests/${id}`}>
          {formatInstant(at)}
        </PageLink>
        <Note>{answered ? fill(text.answeredBy, { label: answered }) : text.notAnswered}</Note>
      </>
    );
  return (
    <>
      <Badge size="xs" variant="default">
        {kind === undefined ? '' : text.kinds[kind as keyof typeof text.kinds]}
      </Badge>
      <Text inherit lineClamp={2} miw={110} title={prompt}>
        {prompt}
      </Text>
    </>
  );
}

function Winner({ item: { winner, current, isChanged, reason } }: { item: PreviewItem }) {
  if (!winner)
    return (
      <PlainText size="xs" title={reason}>
        {text.nobody}
      </PlainText>
    );
  return (
    <>
      <Text inherit fw={isChanged ? 700 : 400} title={reasonWords(winner.reason)}>
        {winner.label}
      </Text>
      {isChanged && current ? <Note>{fill(text.insteadOf, { label: current.label })}</Note> : null}
    </>
  );
}

const Figure = ({ value, change }: { value: string | null; change: string | null }) => (
  <>
    {value ?? unknownValue}
    {change === null ? null : <Note>{change}</Note>}
  </>
);

function costChange({ change, isChanged }: PreviewItem): string | null {
  const cost = change?.cost;
  if (!isChanged || cost === null || cost === undefined || cost === 0) return null;
  return `${cost > 0 ? '+' : ''}${formatUsd(cost)}`;
}

function intervalText(winner: Candidate | null): string | null {
  const [low, high] = winner?.interval ?? [];
  return low === undefined || high === undefined
    ? null
    : fill(texts.common.interval, { low: formatQuality(low), high: formatQuality(high) });
}
