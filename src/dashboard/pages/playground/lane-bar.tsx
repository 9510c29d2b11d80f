import { Button, CloseButton, Group, MultiSelect, SimpleGrid } from '@mantine/core';
import type { Turn } from '../../components/conversation/answer.js';
import { Note } from '../../components/elements.js';
import { formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { maxLanes, rangeOf, withLane, withMoreLanes, withoutLane } from './conversation-state.js';
import type { Playground } from './use-playground.js';

const { playground: words } = texts;

interface LaneBarProps {
  playground: Playground;
  /** What can be called: `auto`, aliases and labels. */
  models: readonly string[];
}

/** The models of the conversation: one lane for each that is compared. */
export function LaneBar({ playground, models }: LaneBarProps) {
  const { lanes, change, isBusy } = playground;
  return (
    <Group align="flex-end" gap="sm" wrap="wrap">
      <SimpleGrid cols={{ base: 1, sm: lanes.length }} spacing="sm" flex={1} miw="min(100%, 16rem)">
        {lanes.map((lane, index) => (
          <Group key={index} gap={4} wrap="nowrap" align="flex-end">
            <ModelPicker
              label={
                lanes.length === 1
                  ? texts.common.models
                  : fill(words.modelNumber, { number: index + 1 })
              }
              models={models}
              chosen={lane.models}
              onChange={(chosen) => change((state) => withLane(state, index, { models: chosen }))}
            />
            {lanes.length > 1 ? (
              <CloseButton
                aria-label={fill(words.removeModel, { number: index + 1 })}
                disabled={isBusy}
                onClick={() => change((state) => withoutLane(state, index))}
              />
            ) : null}
          </Group>
        ))}
      </SimpleGrid>
      {lanes.length < maxLanes ? (
        <Button
          variant="default"
          disabled={isBusy}
          onClick={() => change((state) => withMoreLanes(state, [unusedOf(models, lanes)]))}
        >
          {words.compare}
        </Button>
      ) : null}
    </Group>
  );
}

/** A model to compare with: the first one by name that no lane has. */
function unusedOf(models: readonly string[], lanes: Playground['lanes']): string {
  const used = new Set(['auto', ...lanes.flatMap((lane) => lane.models)]);
  return models.find((model) => !used.has(model)) ?? 'auto';
}

interface ModelPickerProps {
  label: string;
  models: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** One model, several to choose from, or `auto` for all. */
function ModelPicker({ label, models, chosen, onChange }: ModelPickerProps) {
  const choose = (next: readonly string[]): void => {
    const added = next.find((one) => !chosen.includes(one));
    // `auto` stands for all of them, so it stands alone
    const kept = added === 'auto' ? ['auto'] : next.filter((one) => one !== 'auto');
    onChange(kept.length === 0 ? ['auto'] : kept);
  };
  return (
    <MultiSelect
      label={label}
      data={[...new Set([...models, ...chosen])]}
      value={[...chosen]}
      onChange={choose}
      searchable
      limit={100}
      // a chosen model leaves the field its one line
      styles={{ inputField: { minWidth: 0, width: 0 } }}
      nothingFoundMessage={words.noModel}
      flex={1}
      miw={0}
    />
  );
}

const compared = [
  ['costUsd', words.cheapest, formatUsd],
  ['latency', words.fastest, formatMs],
] as const;

/** The cheapest and the fastest of several answers to a question; nothing until all are there. */
export function LaneSummary({ lanes }: Pick<Turn, 'lanes'>) {
  const facts = compared.flatMap(([name, template, format]) => {
    const range = rangeOf({ lanes }, name);
    if (!range) return [];
    const { model, least, most } = range;
    return [fill(template, { model, least: format(least), most: format(most) })];
  });
  return facts.length === 0 ? null : <Note className="figures">{facts.join(' · ')}</Note>;
}
