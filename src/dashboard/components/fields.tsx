import { NumberInput, type NumberInputProps } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  /** Null: the field is empty. */
  value: number | null;
  change: (value: number | null) => void;
}

/** A field for a number, which keeps what is typed as it is typed: “0.” leads to “0.5”. */
export function NumberField({ value, change, ...field }: NumberFieldProps) {
  const [typed, setTyped] = useState<number | string>(value ?? '');
  return (
    <NumberInput
      allowNegative={(field.min ?? -1) < 0}
      {...field}
      value={numberOf(typed) === value ? typed : (value ?? '')}
      onChange={(now) => {
        setTyped(now);
        change(numberOf(now));
      }}
    />
  );
}

function numberOf(typed: number | string): number | null {
  const number = typed === '' ? NaN : Number(typed);
  return Number.isFinite(number) ? number : null;
}

/** What a text field takes: its text, and what gets the text that is typed. */
export const typed = (value: string, change: (typed: string) => void) => ({
  value,
  onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    change(currentTarget.value),
});

/** What a switch or a checkbox takes. */
export const switched = (checked: boolean, change: (isOn: boolean) => void) => ({
  checked,
  onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => change(currentTarget.checked),
});
