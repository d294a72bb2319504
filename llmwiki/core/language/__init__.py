"""What text is made of, whatever it is about: names, words, sentences, inflections. Pure."""
