//! The derive macro for Temper's default domains: `#[derive(Domain)]` gives a struct or an enum the domain that
//! `any::<T>()` draws from. It writes an implementation of `temper::domain::DefaultDomain`; everything else is the
//! library's.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Expr, Field, Fields, LitInt, Result, Variant, parse_macro_input};

/// Gives a struct or an enum a default domain, drawn field by field.
///
/// A field is drawn from the default domain of its type, or from the domain in `#[domain(...)]`. A variant is as likely
/// as its `#[domain(weight = n)]` says, 1 unless given; the first variant is the simplest. Variants that mention their own
/// type are left out once a value is several levels deep, so recursive enums end; the first variant must not be one.
#[proc_macro_derive(Domain, attributes(domain))]
pub fn derive_domain(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "`#[derive(Domain)]` works on types without type parameters"));
    }
    let draw = match &input.data {
        Data::Struct(data) => {
            let value = draw_fields(&quote!(#name), &data.fields)?;
            quote!(::core::result::Result::Ok(#value))
        }
        Data::Enum(data) => draw_variant(name, data.variants.iter().collect())?,
        Data::Union(_) => return Err(Error::new_spanned(name, "`#[derive(Domain)]` works on structs and enums")),
    };
    let domain = format_ident!("{}Domain", name);
    let vis = &input.vis;
    let doc = format!("The default domain of [`{name}`].");
    Ok(quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug)]
        #vis struct #domain;

        impl ::temper::Domain for #domain {
            type Value = #name;

            fn draw(
                &self,
                choices: &mut ::temper::Choices,
            ) -> ::core::result::Result<#name, ::temper::Rejected> {
                ::temper::domain::draw_level(choices, |choices: &mut ::temper::Choices, is_deep: bool| {
                    let _ = is_deep;
                    #draw
                })
            }
        }

        impl ::temper::domain::DefaultDomain for #name {
            type Domain = #domain;

            fn domain() -> #domain {
                #domain
            }
        }
    })
}

/// A constructor with every field drawn.
fn draw_fields(path: &TokenStream, fields: &Fields) -> Result<TokenStream> {
    let draws = fields.iter().map(draw_field).collect::<Result<Vec<_>>>()?;
    Ok(match fields {
        Fields::Unit => quote!(#path),
        Fields::Unnamed(_) => quote!(#path(#(#draws),*)),
        Fields::Named(named) => {
            let names = named.named.iter().map(|field| &field.ident);
            quote!(#path { #(#names: #draws),* })
        }
    })
}

fn draw_field(field: &Field) -> Result<TokenStream> {
    let given = field.attrs.iter().find(|attr| attr.path().is_ident("domain"));
    let ty = &field.ty;
    let domain = match given {
        Some(attr) => {
            let expr: Expr = attr.parse_args()?;
            quote!(#expr)
        }
        None => quote!(<#ty as ::temper::domain::DefaultDomain>::domain()),
    };
    Ok(quote!(choices.draw(&#domain)?))
}

fn draw_variant(name: &Ident, variants: Vec<&Variant>) -> Result<TokenStream> {
    let Some(first) = variants.first() else {
        return Err(Error::new_spanned(name, "`#[derive(Domain)]` needs an enum with at least one variant"));
    };
    if mentions(first, name) {
        return Err(Error::new_spanned(
            first,
            "the first variant must not contain its own type: it is the simplest one",
        ));
    }
    let weights = variants.iter().map(|variant| weight(&variant.attrs)).collect::<Result<Vec<u32>>>()?;
    let deep: Vec<u32> = variants.iter().zip(&weights).map(|(v, &w)| if mentions(v, name) { 0 } else { w }).collect();
    let arms = variants.iter().enumerate().map(|(i, variant)| {
        let ident = &variant.ident;
        let value = draw_fields(&quote!(#name::#ident), &variant.fields)?;
        let pattern = if i + 1 == variants.len() { quote!(_) } else { quote!(#i) };
        Ok(quote!(#pattern => #value))
    });
    let arms = arms.collect::<Result<Vec<_>>>()?;
    Ok(quote! {
        let weights = if is_deep { [#(#deep),*] } else { [#(#weights),*] };
        ::temper::domain::draw_alternative(choices, &weights, |choices: &mut ::temper::Choices, variant: usize| {
            ::core::result::Result::Ok(match variant { #(#arms),* })
        })
    })
}

fn weight(attrs: &[Attribute]) -> Result<u32> {
    let mut weight = 1;
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("domain")) {
        attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("weight") {
                return Err(meta.error("a variant takes only `weight = n`"));
            }
            weight = meta.value()?.parse::<LitInt>()?.base10_parse()?;
            Ok(())
        })?;
    }
    Ok(weight)
}

/// Whether a field of the variant has a type in which the name occurs.
fn mentions(variant: &Variant, name: &Ident) -> bool {
    fn occurs(tokens: TokenStream, name: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => ident == *name || ident == "Self",
            proc_macro2::TokenTree::Group(group) => occurs(group.stream(), name),
            _ => false,
        })
    }
    variant.fields.iter().any(|field| {
        let ty = &field.ty;
        occurs(quote!(#ty), name)
    })
}
