import { Text } from '@mantine/core';
import { unknownValue } from '../format/numbers.js';
import { type Ended, modelOf, type Named, outcomeOf } from '../format/outcomes.js';
import { StateBadge } from './elements.js';

/** A model on one line, its provider in pale; a provider that its name repeats is left out. */
export const ModelName = ({ provider, model }: Named) => (
  <Text size="xs" truncate maw={260} title={modelOf({ provider, model })}>
    {provider === null || model?.startsWith(`${provider}/`) ? null : (
      <Text span c="dimmed" inherit>
        {provider}/
      </Text>
    )}
    {model ?? (provider === null ? unknownValue : '')}
  </Text>
);

/** How a request ended, in a few words or, as a figure, in others, with a dot of its colour. */
export const Outcome = ({ status, code, label }: Ended & { label?: string }) => (
  <StateBadge
    isQuiet={code === null && label === undefined}
    color={code === null ? 'green' : Math.floor((status ?? 0) / 100) === 4 ? 'orange' : 'red'}
    label={label ?? outcomeOf({ status, code })}
  />
);
