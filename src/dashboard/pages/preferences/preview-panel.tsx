import { Box, Progress, SimpleGrid, Stack, Tabs, Text } from '@mantine/core';
import { Empty } from '../../components/empty.js';
import { FigureTile } from '../../components/figure-tile.js';
import { Loaded } from '../../components/loaded.js';
import { Panel } from '../../components/panel.js';
import { formatCount, formatUsd, unknownValue } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { PreviewTable } from './preview-table.js';
import type { Draft } from './settings.js';
import { type Preview, usePreview } from './use-preview.js';

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
        label={text.tiles.changed}
        value={formatCount(changed)}
        detail={fill(text.ofItems, { count: changed, all: items })}
      />
      <BesideTile label={text.tiles.cost} of={cost} show={formatUsd} note={text.sum} />
      <BesideTile
        label={text.tiles.quality}
        of={quality}
        show={(value) => value.toFixed(3)}
        note={text.mean}
      />
      <BesideTile
        label={text.tiles.latency}
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
      <Text size="sm" fw={600}>
        {text.wins}
      </Text>
      {models.map(({ label, current, preview }) => (
        <Box key={label}>
          <Text size="sm" className="figures text-plain">
            {label}{' '}
            <Text span size="xs" c="dimmed">
              {preview} ({text.winsNow} {current})
            </Text>
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
        <PreviewTable items={examples} heading={text.items.prompt} />
      </Tabs.Panel>
      <Tabs.Panel value="requests" pt="sm">
        {requests.length === 0 ? (
          <Empty title={text.noRequests} hint={text.noRequestsHint} />
        ) : (
          <PreviewTable items={requests} heading={text.items.request} />
        )}
      </Tabs.Panel>
    </Tabs>
  );
}
