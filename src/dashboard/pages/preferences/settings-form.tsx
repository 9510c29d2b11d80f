import { Alert, Radio, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import { NumberField, typed } from '../../components/fields.js';
import { WeightSliders } from '../../components/weight-sliders.js';
import { useModelLabels } from '../../api/queries.js';
import { optionsOf } from '../../components/elements.js';
import { texts } from '../../texts/texts.js';
import { type Draft, hasNoWeight, maxWeight, sharesOf } from './settings.js';

const text = texts.preferences;

interface FormProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

/** The fields of a preference. */
export const SettingsForm = ({ draft, change }: FormProps) => (
  <Stack gap="lg">
    <TextInput
      label={texts.common.name}
      placeholder={text.namePlaceholder}
      maxLength={200}
      {...typed(draft.name, (name) => change({ name }))}
    />
    <Radio.Group
      label={texts.common.aim}
      value={draft.aim}
      onChange={(aim) => change({ aim })}
      description={text.aimHints[draft.aim]}
    >
      <Stack gap={6} mt="xs">
        {optionsOf(text.aims).map(({ value, label }) => (
          <Radio key={value} value={value} label={label} />
        ))}
      </Stack>
    </Radio.Group>
    {draft.aim === 'weights' ? <Weights draft={draft} change={change} /> : null}
    <Limits draft={draft} change={change} />
  </Stack>
);

const Weights = ({ draft, change }: FormProps) => (
  <Stack gap="sm">
    <WeightSliders
      weights={draft.weights}
      shares={sharesOf(draft.weights)}
      max={maxWeight}
      step={0.5}
      change={(weights) => change({ weights })}
    />
    {hasNoWeight(draft) ? (
      <Alert color="red" role="alert">
        {text.noWeight}
      </Alert>
    ) : null}
  </Stack>
);

function Limits({ draft, change }: FormProps) {
  const labels = useModelLabels();
  const lists = ['allow', 'exclude'] as const;
  const numbers = ['maxPrice', 'maxLatency'] as const;
  return (
    <Stack gap="sm">
      {lists.map((list) => (
        <TagsInput
          key={list}
          label={text[list]}
          description={text[`${list}Hint`]}
          data={[...labels]}
          limit={20}
          maxTags={256}
          value={[...draft[list]]}
          onChange={(names) => change({ [list]: names })}
          clearButtonProps={{ 'aria-label': text.discard }}
        />
      ))}
      <SimpleGrid cols={2}>
        {numbers.map((number) => (
          <NumberField
            key={number}
            label={text[number]}
            description={text[`${number}Hint`]}
            placeholder={text.noLimit}
            min={0}
            max={1_000_000}
            hideControls
            value={draft[number]}
            change={(value) => change({ [number]: value })}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
