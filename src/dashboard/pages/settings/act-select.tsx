import { Select } from '@mantine/core';
import { texts } from '../../texts/texts.js';
import { type Act, actWords } from './act-filter.js';

const text = texts.settings;

interface ActSelectProps {
  value: Act | null;
  onChange: (act: Act | null) => void;
}

const options = (Object.keys(actWords) as Act[]).map((act) => ({
  value: act,
  label: actWords[act],
}));

/** Chooses one act, or all. */
export const ActSelect = ({ value, onChange }: ActSelectProps) => (
  <Select<Act>
    label={text.auditAct}
    placeholder={text.auditAnyAct}
    clearable
    searchable
    data={options}
    value={value}
    onChange={onChange}
  />
);
