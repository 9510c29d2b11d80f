import { Select } from '@mantine/core';
import { texts } from '../../texts/texts.js';
import { acts } from './act-filter.js';

const text = texts.settings;

interface ActSelectProps {
  value: string | null;
  onChange: (act: string | null) => void;
}

/** Chooses one act, or all. */
export const ActSelect = ({ value, onChange }: ActSelectProps) => (
  <Select
    label={text.auditAct}
    placeholder={text.auditAnyAct}
    clearable
    searchable
    data={[...acts]}
    value={value}
    onChange={onChange}
  />
);
