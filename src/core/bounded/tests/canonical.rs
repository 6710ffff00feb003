//! Canonical form and digest against Python's, recorded in the corpus, and against a second implementation written here.

use crate::bounded::{EvaluatorError, MAX_BYTES, MAX_DEPTH, canonical, hash, sha256_hex};

/// `digest TAB document` on each line; the digests were computed by Python's `json` and `hashlib`.
const CORPUS: &str = include_str!("../../../../tests/canonical/corpus.txt");

fn corpus() -> Vec<(&'static str, &'static str)> {
    CORPUS
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| line.split_once('\t').expect("a tab"))
        .collect()
}

#[test]
fn the_corpus_hashes_as_python_does_and_as_a_second_implementation_does() {
    let corpus = corpus();
    assert!(corpus.len() > 80);
    for (python, document) in corpus {
        assert_eq!(hash(document.as_bytes()).expect(document), python, "{document}");
        assert_eq!(second::digest(document), python, "{document}");
    }
}

#[test]
fn the_second_implementation_agrees_on_every_example() {
    for (name, _) in crate::bounded::EXAMPLES {
        let text = crate::bounded::example(name).expect(name).canonical();
        assert_eq!(
            hash(text.as_bytes()).expect(name),
            second::digest(&text),
            "{name}"
        );
        assert_eq!(
            canonical(text.as_bytes()).expect(name),
            text,
            "{name} is canonical already"
        );
    }
}

#[test]
fn key_order_whitespace_and_escapes_never_matter_and_values_always_do() {
    let one = hash(br#"{"a":["x/y",1],"b":{"c":null,"d":true}}"#).expect("valid");
    for same in [
        r#" { "b" : { "d" : true , "c" : null } , "a" : [ "x\/y" , 1 ] } "#,
        "{\"b\":{\"d\":true,\"c\":null},\r\n\t\"a\":[\"\\u0078\\u002fy\",1]}",
        r#"{"\u0061":["x/y",1],"\u0062":{"c":null,"d":true}}"#,
    ] {
        assert_eq!(hash(same.as_bytes()).expect(same), one, "{same}");
    }
    for other in [
        r#"{"a":["x/y",2],"b":{"c":null,"d":true}}"#,
        r#"{"a":["x/y","1"],"b":{"c":null,"d":true}}"#,
        r#"{"a":[1,"x/y"],"b":{"c":null,"d":true}}"#,
        r#"{"a":["x/y",1],"b":{"c":false,"d":true}}"#,
        r#"{"a":["x/y",1],"b":{"c":null,"D":true}}"#,
        r#"{"a":["x/y",1],"b":{"c":null,"d":true},"e":[]}"#,
        r#"{"a":["X/y",1],"b":{"c":null,"d":true}}"#,
    ] {
        assert_ne!(hash(other.as_bytes()).expect(other), one, "{other}");
    }
}

#[test]
fn what_two_readers_could_take_differently_is_refused() {
    for text in [
        "",
        " ",
        "{",
        "nul",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"x\":[{\"y\":{\"k\":1,\"k\":1}}]}",
        "1.0",
        "1e3",
        "-0",
        "-0.0",
        "18446744073709551616",
        "-9223372036854775809",
        "01",
        "+1",
        "NaN",
        "Infinity",
        "'a'",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\"\u{1}\"",
        "\u{feff}{}",
        "{} {}",
        "{}x",
        "// x\n{}",
    ] {
        let refused = hash(text.as_bytes());
        assert!(
            matches!(refused, Err(EvaluatorError::NotStrictJson(_))),
            "{text:?}: {refused:?}"
        );
    }
    assert!(matches!(hash(b"\"\xff\""), Err(EvaluatorError::NotStrictJson(_))));
    assert!(matches!(
        hash(b"\"\xed\xa0\x80\""),
        Err(EvaluatorError::NotStrictJson(_))
    ));
}

#[test]
fn depth_and_size_are_bounded() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(hash(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert!(hash(nested(MAX_DEPTH + 1).as_bytes()).is_err());
    assert!(hash("[".repeat(100_000).as_bytes()).is_err());
    assert_eq!((MAX_BYTES, MAX_DEPTH), (4_194_304, 24));
    let padded = |size: usize| format!("{}1", " ".repeat(size - 1));
    assert!(hash(padded(MAX_BYTES).as_bytes()).is_ok());
    let error = hash(padded(MAX_BYTES + 1).as_bytes()).expect_err("too large");
    assert_eq!(
        error,
        EvaluatorError::TooLarge {
            found: MAX_BYTES + 1,
            limit: MAX_BYTES
        }
    );
}

#[test]
fn the_digest_is_sha_256() {
    // The test vectors of FIPS 180-4.
    assert_eq!(
        sha256_hex(b"abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(
        sha256_hex(b""),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
}

/// A canonical form and a digest written a second time, on nothing that the evaluator uses but the JSON grammar.
pub(super) mod second {
    use serde_json::Value;

    pub fn digest(document: &str) -> String {
        let value: Value = serde_json::from_str(document).expect("JSON");
        let mut out = String::new();
        write(&value, &mut out);
        sha256(out.as_bytes())
    }

    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
            Value::String(text) => string(text, out),
            Value::Array(items) => {
                let parts: Vec<String> = items.iter().map(text_of).collect();
                out.push_str(&format!("[{}]", parts.join(",")));
            }
            Value::Object(members) => {
                let mut sorted: Vec<(Vec<u32>, &String, &Value)> = members
                    .iter()
                    .map(|(k, v)| (k.chars().map(u32::from).collect(), k, v))
                    .collect();
                sorted.sort_by(|a, b| a.0.cmp(&b.0));
                let part = |(_, key, value): &(Vec<u32>, &String, &Value)| {
                    let mut one = String::new();
                    string(key, &mut one);
                    format!("{one}:{}", text_of(value))
                };
                let parts: Vec<String> = sorted.iter().map(part).collect();
                out.push_str(&format!("{{{}}}", parts.join(",")));
            }
        }
    }

    fn text_of(value: &Value) -> String {
        let mut out = String::new();
        write(value, &mut out);
        out
    }

    /// Python's ESCAPE_DCT: control characters below U+0020, quote and backslash.
    fn string(text: &str, out: &mut String) {
        const SHORT: [(u32, char); 7] = [
            (0x22, '"'),
            (0x5c, '\\'),
            (0x0a, 'n'),
            (0x0d, 'r'),
            (0x09, 't'),
            (0x0c, 'f'),
            (0x08, 'b'),
        ];
        out.push('"');
        for c in text.chars() {
            let code = u32::from(c);
            if let Some((_, letter)) = SHORT.iter().find(|(short, _)| *short == code) {
                out.push('\\');
                out.push(*letter);
            } else if code < 0x20 {
                out.push_str(&format!("\\u{code:04x}"));
            } else {
                out.push(c);
            }
        }
        out.push('"');
    }

    /// FIPS 180-4, the constants derived from the primes as the standard defines them.
    pub fn sha256(message: &[u8]) -> String {
        let primes: Vec<u64> = (2..312).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
        let k: Vec<u32> = primes.iter().take(64).map(|p| fraction_of_root(*p, 3)).collect();
        let mut h: Vec<u32> = primes.iter().take(8).map(|p| fraction_of_root(*p, 2)).collect();
        let mut padded = message.to_vec();
        padded.push(0x80);
        while padded.len() % 64 != 56 {
            padded.push(0);
        }
        padded.extend((message.len() as u64 * 8).to_be_bytes());
        for block in padded.chunks(64) {
            let mut w: Vec<u32> = block
                .chunks(4)
                .map(|word| word.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
                .collect();
            for t in 16..64 {
                let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
                let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
                w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
            }
            let mut v = h.clone();
            for t in 0..64 {
                let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
                let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
                let t1 = v[7]
                    .wrapping_add(s1)
                    .wrapping_add(choice)
                    .wrapping_add(k[t])
                    .wrapping_add(w[t]);
                let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
                let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
                v.rotate_right(1);
                v[4] = v[4].wrapping_add(t1);
                v[0] = t1.wrapping_add(s0.wrapping_add(majority));
            }
            for (sum, one) in h.iter_mut().zip(&v) {
                *sum = sum.wrapping_add(*one);
            }
        }
        h.iter().map(|word| format!("{word:08x}")).collect()
    }

    /// The first 32 bits of the fractional part of a square or cube root, by bisection in whole numbers.
    fn fraction_of_root(prime: u64, degree: u32) -> u32 {
        // floor(prime^(1/degree) · 2³²), by bisection; 160 bits are needed for the cube, so the product is compared in parts.
        let (mut low, mut high) = (0_u64, 1_u64 << 37);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if power_at_most(middle, degree, prime) {
                low = middle
            } else {
                high = middle
            }
        }
        low as u32
    }

    /// Whether (x / 2³²)^degree ≤ prime, exactly.
    fn power_at_most(x: u64, degree: u32, prime: u64) -> bool {
        let mut product = vec![x as u32, (x >> 32) as u32];
        for _ in 1..degree {
            let mut next = vec![0_u64; product.len() + 2];
            for (i, digit) in product.iter().enumerate() {
                for (j, other) in [x as u32, (x >> 32) as u32].iter().enumerate() {
                    let part = u64::from(*digit) * u64::from(*other);
                    let mut place = i + j;
                    let mut carry = part;
                    while carry > 0 {
                        let sum = next[place] + (carry & 0xffff_ffff);
                        next[place] = sum & 0xffff_ffff;
                        carry = (carry >> 32) + (sum >> 32);
                        place += 1;
                    }
                }
            }
            product = next.iter().map(|digit| *digit as u32).collect();
        }
        // Compare with prime · 2^(32·degree).
        let mut bound = vec![0_u32; degree as usize];
        bound.push(prime as u32);
        bound.resize(product.len().max(bound.len()), 0);
        product.resize(bound.len(), 0);
        let difference = product.iter().rev().zip(bound.iter().rev()).find(|(a, b)| a != b);
        difference.is_none_or(|(a, b)| a < b)
    }
}
